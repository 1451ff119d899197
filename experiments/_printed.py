"""The figures that chapter 5 of the thesis prints."""

__all__ = ["ADVERSARIES", "SUCCESS", "TIMES"]

TIMES: dict[str, dict[str, float]] = {
    "wisconsin": {
        "decp": 0.129,
        "incp": 0.127,
        "dropp": 0.131,
        "hid3": 0.129,
        "decp_g": 0.159,
        "incp_g": 0.160,
        "dropp_g": 0.169,
        "hid3_g": 0.159,
    },
    "car": {"decp": 0.036, "incp": 0.036, "dropp": 0.037, "hid3": 0.036},
}
"""Table 5.2: milliseconds per confidential value."""

SUCCESS: dict[str, dict[str, dict[str, int]]] = {
    "wisconsin": {
        "naive-bayes": {"decp": 100, "incp": 100, "dropp": 100, "hid3": 84}
        | {"decp_g": 100, "incp_g": 100, "dropp_g": 100, "hid3_g": 81},
        "id3": {"decp": 77, "incp": 75, "dropp": 90, "hid3": 100}
        | {"decp_g": 74, "incp_g": 73, "dropp_g": 85, "hid3_g": 100},
        "svm": {"decp": 41, "incp": 41, "dropp": 89, "hid3": 86}
        | {"decp_g": 40, "incp_g": 39, "dropp_g": 87, "hid3_g": 84},
    },
    "car": {
        "naive-bayes": {"decp": 100, "incp": 100, "dropp": 100, "hid3": 65},
        "id3": {"decp": 86, "incp": 84, "dropp": 85, "hid3": 100},
        "svm": {"decp": 65, "incp": 56, "dropp": 88, "hid3": 80},
    },
}
"""Table 5.3: per cent of successful suppressions."""

ADVERSARIES = {
    "naive-bayes": "naive Bayes",
    "id3": "ID3",
    "svm": "linear SVM, one feature a value",
    "svm, numbers": "linear SVM, scores as numbers",
}
