"""How far the cluster is, for a line on a terminal."""

from typing import Any

from withhold.engines.spark._connection import is_remote

__all__ = ["work_done"]


def work_done(session: Any) -> str:
    """Return how many jobs are done, and of the stages that run how many tasks; nothing where that cannot be known.

    Numbers alone are asked for: the names of jobs and stages may quote plans.
    """
    if session is None or is_remote(session):
        return ""
    try:
        tracker = session.sparkContext.statusTracker()
        running = {*tracker.getActiveJobsIds()}
        n_done = len({*tracker.getJobIdsForGroup()} - running)
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    except Exception:  # a session that is being closed has nothing to say
        return ""
    n_tasks = sum(each.numTasks for each in stages if each is not None)
    n_ready = sum(each.numCompletedTasks for each in stages if each is not None)
    jobs = "1 job done" if n_done == 1 else f"{n_done:,} jobs done"
    return jobs if not n_tasks else f"{jobs}, {n_ready:,} of {n_tasks:,} tasks of the next"
