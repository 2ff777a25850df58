// Hover cards: a reference that is pointed at, or reached by the keyboard, shows what it refers to. The card stays while
// the pointer is on it; Escape sends it away. On a touch screen a reference is a link, but a tap on a term shows its card
// at the foot of the window, from which the glossary is one tap more.
(() => {
  const root = new URL(document.documentElement.dataset.content_root, location.href);
  const WAIT = 250; // milliseconds before a card comes, and before it goes
  const GAP = 6; // pixels between a reference and its card
  const card = Object.assign(document.createElement("div"), { id: "hover-card", hidden: true });
  card.setAttribute("role", "tooltip");
  let link = null; // the reference whose card is shown, or about to be
  let timer = 0;
  let touched = false; // whether the last press was that of a finger
  const TERM = /\/glossary\.html#term-/;

  const reference = (element) => element.closest?.("article a.reference.internal[href*='#']");

  // The cards of a page, from a script beside the book's pages.
  const loading = {};
  function cards(page) {
    loading[page] ??= new Promise((done) => {
      const script = document.createElement("script");
      script.src = new URL(`_static/cards/${page}.js`, root).href;
      script.onload = script.onerror = () => done(window.bookCards?.[page] ?? {});
      document.head.append(script);
    });
    return loading[page];
  }

  async function show(anchor) {
    const address = new URL(anchor.href);
    const page = decodeURIComponent(address.pathname.slice(root.pathname.length)).replace(/\.html$/, "");
    const content = (await cards(page))[decodeURIComponent(address.hash.slice(1))];
    if (!content || anchor !== link) return false;
    card.innerHTML = content;
    for (const image of card.querySelectorAll("img")) image.src = new URL(image.dataset.src, root).href;
    document.querySelector("article").append(card);
    card.hidden = false;
    return true;
  }

  async function showBeside(anchor) {
    if (!(await show(anchor))) return;
    place(anchor.getClientRects()[0]);
    anchor.setAttribute("aria-describedby", card.id);
  }

  async function showAtFoot(anchor) {
    hide();
    link = anchor;
    if (!(await show(anchor))) return void (location.href = anchor.href);
    const more = Object.assign(document.createElement("a"), { href: anchor.href, textContent: "In the glossary" });
    const close = Object.assign(document.createElement("button"), { type: "button", textContent: "Close" });
    const line = document.createElement("p");
    line.append(more, close);
    card.append(line);
    card.className = "at-the-foot";
    card.setAttribute("role", "dialog");
    card.setAttribute("aria-label", anchor.textContent);
    close.addEventListener("click", () => anchor.focus({ preventScroll: true }));
    close.focus({ preventScroll: true });
  }

  // Below the reference, or above it where there is more room, and inside the window.
  function place(rectangle) {
    card.style.left = card.style.top = "0";
    const origin = card.getBoundingClientRect();
    const below = innerHeight - rectangle.bottom;
    const up = below < origin.height + GAP && rectangle.top > below;
    const top = up ? rectangle.top - GAP - origin.height : rectangle.bottom + GAP;
    const left = Math.max(8, Math.min(rectangle.left, document.documentElement.clientWidth - origin.width - 8));
    card.style.left = `${left - origin.left}px`;
    card.style.top = `${top - origin.top}px`;
  }

  function hide() {
    clearTimeout(timer);
    link?.removeAttribute("aria-describedby");
    link = null;
    card.hidden = true;
    card.replaceChildren();
    card.removeAttribute("class");
    card.removeAttribute("style");
    card.removeAttribute("aria-label");
    card.setAttribute("role", "tooltip");
  }

  function come(anchor) {
    clearTimeout(timer);
    if (anchor === link) return;
    hide();
    link = anchor;
    timer = setTimeout(() => showBeside(anchor), WAIT);
  }

  const go = () => {
    clearTimeout(timer);
    timer = setTimeout(hide, WAIT);
  };

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const anchor = reference(event.target);
    if (anchor) come(anchor);
    else if (card.contains(event.target)) clearTimeout(timer);
    else if (link && !link.matches(":focus-visible")) go();
  });
  document.addEventListener("focusin", (event) => {
    const anchor = reference(event.target);
    if (card.contains(event.target)) return;
    if (anchor?.matches(":focus-visible") && !touched) come(anchor);
    else if (link) hide();
  });
  document.addEventListener("focusout", () => link && !card.className && go());
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("pointerdown", (event) => (touched = event.pointerType === "touch"), true);
  document.addEventListener("click", (event) => {
    const anchor = reference(event.target);
    if (touched && anchor && TERM.test(anchor.href) && !card.contains(anchor)) {
      event.preventDefault();
      showAtFoot(anchor);
    } else if (!card.className || !card.contains(event.target) || event.target.matches("a, button")) hide();
  });
})();
