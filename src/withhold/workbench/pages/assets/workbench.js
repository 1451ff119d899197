// What the page does without asking the server: numbers as the reader's language has them, keys, drag and drop.
(() => {
  const plain = new Intl.NumberFormat(navigator.language, { maximumFractionDigits: 4 });
  const share = new Intl.NumberFormat(navigator.language, { style: "percent", maximumFractionDigits: 1 });
  const spell = (each) => {
    const text = (each.dataset.p !== undefined ? share : plain).format(Number(each.dataset.n ?? each.dataset.p));
    if (each.textContent !== text) each.textContent = text;
  };
  const spellAll = (root) => {
    if (root.nodeType !== 1) return;
    if (root.matches("[data-n],[data-p]")) spell(root);
    root.querySelectorAll("[data-n],[data-p]").forEach(spell);
  };

  // What the toolkit leaves without a name, or out of reach of a keyboard.
  const each = (root, what, then) => {
    if (root.matches(what)) then(root);
    root.querySelectorAll(what).forEach(then);
  };
  const name = (root) => {
    if (root.nodeType !== 1) return;
    each(root, ".q-uploader__input", (input) => {
      const button = input.closest("a[role=button]"); // the input is what opens the dialog, so it is what gets the focus
      if (button) ["role", "tabindex"].forEach((attribute) => button.removeAttribute(attribute));
      input.tabIndex = 0;
      input.setAttribute("aria-label", input.closest(".q-uploader").getAttribute("aria-label") || "Choose a file");
    });
    each(root, ".cm-content", (editor) => {
      editor.tabIndex = 0;
      editor.setAttribute("aria-label", "The policy as TOML");
    });
    each(root, ".q-loading-bar", (bar) => bar.setAttribute("aria-label", "Working"));
    each(root, "[role=listbox] > .q-virtual-scroll__content", (box) => {
      box.removeAttribute("tabindex");
      box.setAttribute("role", "presentation");
    });
  };
  new MutationObserver((changes) =>
    changes.forEach((change) =>
      change.addedNodes.forEach((node) => {
        spellAll(node);
        name(node);
      }),
    ),
  ).observe(document, { childList: true, subtree: true });

  // What the server sends between press and release waits for the click: a control that is drawn anew in between
  // would not hear it.
  let held = null;
  const hold = () => {
    const socket = window.socket;
    if (!socket || held) return;
    if (!socket.isGuarded) {
      const pass = socket.onevent.bind(socket);
      socket.onevent = (packet) => (held ? held.push(packet) : pass(packet));
      socket.pass = pass;
      socket.isGuarded = true;
    }
    held = [];
  };
  const letGo = () =>
    setTimeout(() => {
      const waiting = held || [];
      held = null;
      waiting.forEach((packet) => window.socket.pass(packet));
    });
  const isPress = (event) => event.key === "Enter" || event.key === " ";
  addEventListener("pointerdown", hold, true);
  addEventListener("keydown", (event) => isPress(event) && hold(), true);
  addEventListener("keyup", (event) => isPress(event) && letGo(), true);
  ["pointerup", "pointercancel", "dragstart"].forEach((name) => addEventListener(name, letGo, true));
  addEventListener("blur", letGo); // of the window: a release outside it is not heard

  const emit = (from, name, detail) => from.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));

  document.addEventListener("click", (event) => {
    const cell = event.target.closest("table.cells td[data-c]");
    if (cell) {
      document.querySelectorAll("td.chosen").forEach((each) => each.classList.remove("chosen"));
      document
        .querySelectorAll(`table.cells td[data-r="${cell.dataset.r}"][data-c="${cell.dataset.c}"]`)
        .forEach((each) => each.classList.add("chosen"));
      emit(cell, "cell", { row: Number(cell.dataset.r), column: Number(cell.dataset.c) });
      return;
    }
    const role = event.target.closest("[role=radio][data-role]");
    if (role) return choose(role);
    const point = event.target.closest("[data-setting]");
    if (point) emit(point, "setting", { setting: Number(point.dataset.setting) });
    const act = event.target.closest("[data-act]");
    if (act) emit(act, "act", { act: act.dataset.act, at: Number(act.dataset.at) });
  });

  const choose = (radio) => {
    const group = radio.closest("[role=radiogroup]");
    group.querySelectorAll("[role=radio]").forEach((each) => {
      each.setAttribute("aria-checked", each === radio ? "true" : "false");
      each.tabIndex = each === radio ? 0 : -1;
    });
    group.dataset.now = radio.dataset.role;
    emit(radio, "role", { column: Number(group.dataset.column), role: radio.dataset.role });
  };

  const beside = (from, key, rows) => {
    if (!rows) return key === "ArrowRight" || key === "ArrowDown" ? from.nextElementSibling : from.previousElementSibling;
    if (key === "ArrowRight") return from.nextElementSibling;
    if (key === "ArrowLeft") return from.previousElementSibling;
    const row = key === "ArrowDown" ? from.parentElement.nextElementSibling : from.parentElement.previousElementSibling;
    return row && row.children[from.cellIndex];
  };

  document.addEventListener("keydown", (event) => {
    const from = event.target.closest("table.cells td, [role=radio][data-role], circle[data-setting]");
    if (!from) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      from.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    } else if (event.key.startsWith("Arrow") && !from.matches("circle")) {
      event.preventDefault();
      const to = beside(from, event.key, from.matches("td"));
      if (!to || !to.matches("td[data-c], [role=radio]")) return;
      from.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
      if (to.matches("[role=radio]")) choose(to);
    }
  });

  // Both panes of a comparison move together.
  document.addEventListener(
    "scroll",
    (event) => {
      const pane = event.target.closest && event.target.closest("[data-together]");
      if (!pane) return;
      document.querySelectorAll("[data-together]").forEach((other) => {
        if (other !== pane && other.scrollLeft !== pane.scrollLeft) other.scrollLeft = pane.scrollLeft;
      });
    },
    true,
  );

  let dragged = null;
  const named = (event) => event.target.closest && event.target.closest("ul.tree [data-node]");
  document.addEventListener("dragstart", (event) => {
    dragged = named(event);
    if (dragged) event.dataTransfer.effectAllowed = "move";
    if (dragged) event.dataTransfer.setData("text/plain", "");
  });
  document.addEventListener("dragover", (event) => {
    const over = named(event);
    document.querySelectorAll(".over").forEach((each) => each.classList.remove("over"));
    if (dragged && over && over !== dragged) {
      event.preventDefault();
      over.classList.add("over");
    }
  });
  document.addEventListener("drop", (event) => {
    const over = named(event);
    if (dragged && over && over !== dragged) {
      event.preventDefault();
      emit(over, "moved", { node: Number(dragged.dataset.node), to: Number(over.dataset.node) });
    }
  });
  document.addEventListener("dragend", () => {
    dragged = null;
    document.querySelectorAll(".over").forEach((each) => each.classList.remove("over"));
  });
  document.addEventListener("change", (event) => {
    const box = event.target.closest && event.target.closest("ul.tree input[type=checkbox]");
    if (!box) return;
    const picked = [...box.closest("ul.tree.top").querySelectorAll("input:checked")];
    emit(box, "picked", { nodes: picked.map((each) => Number(each.closest("[data-node]").dataset.node)) });
  });

  // The step that is read is marked in the list of steps.
  const mark = () => {
    const steps = [...document.querySelectorAll("section.step")];
    const now = steps.filter((each) => each.getBoundingClientRect().top < innerHeight * 0.4).pop() || steps[0];
    document.querySelectorAll("nav.steps a").forEach((link) => {
      const is = now && link.getAttribute("href") === `#${now.id}`;
      if (is) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
  };
  // A table that is wider than its place is scrolled by keys too.
  const reach = () =>
    document.querySelectorAll(".scroll:not([data-together]):has(> table)").forEach((box) => {
      const is = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
      if (is && !box.hasAttribute("tabindex")) {
        box.tabIndex = 0;
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", "A wide table");
      } else if (!is) ["tabindex", "role", "aria-label"].forEach((attribute) => box.removeAttribute(attribute));
    });
  addEventListener("scroll", mark, { passive: true });
  setInterval(() => {
    mark();
    reach();
  }, 500);
})();
