// What a reader has read and answered. It stays in the storage of the browser, under one key, and nothing leaves the page.
// Items are sections, quiz questions and exercises, by their names; each has the number of the first path that it is on, so
// that a reader of the tour is done when the tour is. How many there are on each page says progress_totals.js. Beside them
// stand the days on which they were met, and what the page that asks again knows of its questions (repeat.js).
const progress = (() => {
  const KEY = "dimred-lessons-progress";
  const FORMAT = 1;
  const PATHS = ["tour", "practice", "course"];
  const WAIT = 2000; // milliseconds for which the end of a section is in sight when it has been read
  const [SECTION, QUESTION] = ["§", "quiz-"]; // how the names of these items begin; exercises have their own
  const PAGE = /^[\w-]+(\/[\w-]+)*$/;

  // --- What is kept

  const nothing = () => ({ format: FORMAT, pages: {}, met: {}, cards: {} });
  const isRecord = (one) => typeof one === "object" && one !== null && !Array.isArray(one);

  // The number of a day, as the reader's clock has it.
  const dayOf = (time) => Math.floor((time - time.getTimezoneOffset() * 60_000) / 86_400_000);
  const isDay = (day) => Number.isInteger(day);
  const isCard = (card) =>
    isRecord(card) && isDay(card.day) && isDay(card.due) && card.stability > 0 && card.difficulty >= 1 && card.difficulty <= 10;
  const KEPT = { pages: (rank) => rank in PATHS, met: isDay, cards: isCard };

  // Whether a record has items of this kind, by page and name.
  function isByPage(record, isItem) {
    if (!isRecord(record)) return false;
    return Object.entries(record).every(
      ([page, items]) => PAGE.test(page) && isRecord(items) && Object.values(items).every(isItem),
    );
  }

  // What a text says that was stored, or saved as a file; null if this edition cannot read it.
  function parse(text) {
    let data;
    try {
      data = JSON.parse(text);
    } catch {
      return null;
    }
    if (!isRecord(data) || data.format !== FORMAT) return null;
    const given = { ...nothing(), ...data };
    if (!Object.entries(KEPT).every(([name, isItem]) => isByPage(given[name], isItem))) return null;
    const { last } = data;
    const words = isRecord(last) && [last.place, last.title, last.section].every((word) => typeof word === "string");
    return last === undefined || (words && PAGE.test(last.page)) ? given : null;
  }

  // Both records together; of an item that both have, what `chosen` says.
  function merged(one, other = {}, chosen = (_, second) => second) {
    const pages = { ...one };
    for (const [page, items] of Object.entries(other)) {
      pages[page] = { ...pages[page] };
      for (const [name, item] of Object.entries(items)) {
        pages[page][name] = Object.hasOwn(pages[page], name) ? chosen(pages[page][name], item) : item;
      }
    }
    return pages;
  }

  // Both together: items since they were met first, cards as they were asked last. Where the reader stopped is what the
  // second says, if it says so.
  function joined(one, other) {
    return {
      ...one,
      ...other,
      pages: merged(one.pages, other.pages),
      met: merged(one.met, other.met, Math.min),
      cards: merged(one.cards, other.cards, (first, second) => (first.day > second.day ? first : second)),
    };
  }

  // The share of a page that is done, of what lies on a path; 0 if nothing does.
  function share(items, totals, path) {
    const most = PATHS.indexOf(path);
    const total = totals.slice(0, most + 1).reduce((sum, count) => sum + count, 0);
    const done = Object.values(items ?? {}).filter((rank) => rank <= most).length;
    return total && Math.min(done / total, 1);
  }

  // A storage, in which progress is read, changed and forgotten. Where that is not possible, `trouble` is called with the
  // reason, "refused", "full" or "other", and what is kept is kept for this page only.
  function keeper(storage, trouble) {
    let here = null; // what could not be stored

    function read() {
      let text = null;
      try {
        text = storage().getItem(KEY);
      } catch {}
      return here ?? parse(text) ?? nothing();
    }

    function write(data) {
      here = data;
      let text;
      try {
        text = storage().getItem(KEY);
      } catch {
        return trouble("refused");
      }
      if (text !== null && parse(text) === null) return trouble("other");
      try {
        storage().setItem(KEY, JSON.stringify(data));
        here = null;
      } catch {
        trouble("full");
      }
    }

    function forget() {
      here = null;
      try {
        storage().removeItem(KEY);
      } catch {
        trouble("refused");
      }
    }

    return { read, write, forget };
  }

  // --- The page

  const TROUBLE = {
    refused: "Your browser does not let this page remember anything, so your progress is not kept. All else works.",
    full: "There is no room left in which this page could remember your progress. All else works.",
    other:
      "What is remembered here is of another edition of this book and stays as it is, so your progress is not kept. " +
      "All else works. “How to use this book” has a button that forgets it.",
  };
  const TOLD = "progress: told";

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  function attach(totals) {
    const root = new URL(document.documentElement.dataset.content_root, location.href);
    const article = document.querySelector("article");
    const pageOf = (address) => {
      const { pathname } = new URL(address, location.href);
      return decodeURIComponent(pathname.slice(root.pathname.length)).replace(/\.html$/, "");
    };
    const here = pageOf(location.href);
    const kept = keeper(() => globalThis.readers_storage, tell);
    const path = () => document.documentElement.dataset.path ?? "course";

    // Once for all pages that are opened in this tab, when there is somebody to read it.
    function tell(trouble) {
      if (window.name === TOLD || document.hidden) return;
      window.name = TOLD;
      const button = element("button", { type: "button", textContent: "Close" });
      const notice = element("div", { className: "progress-notice notice", role: "status" });
      button.addEventListener("click", () => notice.remove());
      article.append(notice);
      notice.append(`${TROUBLE[trouble]} `, button);
    }

    // The first path that shows a part of the page.
    function rank(part) {
      const text = part.closest("section").classList;
      const begins = (name) => part.closest(`.from-${name}`) || text.contains(`text-from-${name}`);
      return PATHS.findLastIndex((name, i) => i === 0 || begins(name));
    }

    function note(name, part) {
      const data = kept.read();
      if (data.pages[here]?.[name] !== undefined) return;
      const met = { [here]: { [name]: dayOf(new Date()) } };
      kept.write(joined(data, { pages: { [here]: { [name]: rank(part) } }, met, last: place() }));
      show();
    }

    // Where the reader is: the section at the upper part of the window.
    function place() {
      const words = (title) => {
        const copy = title.cloneNode(true);
        copy.querySelector(".headerlink")?.remove();
        return copy.textContent.trim();
      };
      const above = (section) => section.getBoundingClientRect().top < 0.4 * innerHeight;
      const sections = [...article.querySelectorAll("section.counted")].filter((one) => one.getClientRects().length);
      const section = sections.findLast(above);
      const title = words(article.querySelector("h1"));
      return { page: here, place: section ? placeOf(section) : "", title, section: section ? words(heading(section)) : "" };
    }

    // --- What is shown of it

    function show() {
      const { pages } = kept.read();
      for (const link of document.querySelectorAll(".bd-sidebar-primary a.internal, .book-map :is(a, span)")) {
        const page = link.href ? pageOf(link.href) : here;
        if (page in totals && link.closest("li")) draw(link, share(pages[page], totals[page], path()));
      }
      for (const item of document.querySelectorAll("[data-item]")) {
        item.classList.toggle("done", pages[here]?.[item.dataset.item] !== undefined);
      }
      for (const panel of document.querySelectorAll(".progress-panel output")) panel.textContent = summary(pages);
      globalThis.continue_reading?.();
    }

    function draw(link, done) {
      const words = done > 0 ? ` (${Math.max(Math.round(100 * done), 1)}% done)` : "";
      link.classList.toggle("chapter-progress", done > 0);
      link.style.setProperty("--done", done);
      let said = link.querySelector(".progress-said");
      if (!said && !words) return;
      said ??= link.appendChild(element("span", { className: "progress-said visually-hidden" }));
      if (said.textContent !== words) said.textContent = words;
    }

    function summary(pages) {
      const known = Object.entries(pages).filter(([page]) => page in totals);
      const names = known.flatMap(([, items]) => Object.keys(items));
      if (names.length === 0) return "Nothing is remembered yet.";
      const sections = names.filter((name) => name.startsWith(SECTION)).length;
      const questions = names.filter((name) => name.startsWith(QUESTION)).length;
      const exercises = names.length - sections - questions;
      const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;
      return (
        `Remembered: ${counted(sections, "section")} read, ${counted(questions, "quiz question")} and ` +
        `${counted(exercises, "exercise")} answered, on ${counted(known.length, "page")}.`
      );
    }

    // --- What is noticed

    function watchAnswers() {
      for (const form of document.querySelectorAll("form.answer")) form.dataset.item = form.dataset.exercise;
      document.addEventListener("submit", ({ target }) => {
        if (target.dataset.verdict === "correct") note(target.dataset.exercise, target);
      });
      document.addEventListener("click", ({ target }) => {
        const choice = target.closest?.("details.right");
        if (choice && target.closest("summary") && !choice.open) note(question(choice), choice);
      });
    }

    const question = (choice) => [...choice.classList].find((name) => name.startsWith(QUESTION));

    const heading = (section) => section.querySelector("h1, h2, h3, h4");
    // Its label where it has one, which stays when the heading changes.
    const placeOf = (section) => section.querySelector(":scope > span[id]")?.id ?? section.id;

    // A section has been read when its end was in sight for a while: of what the reader's path shows of it.
    function watchSections() {
      const sights = new Map();
      const observer = new IntersectionObserver(
        (entries) => {
          for (const entry of entries) look(entry, sights.get(entry.target));
        },
        { threshold: Array.from({ length: 21 }, (_, i) => i / 20) }, // the last part of a section may be higher than the window
      );

      function look({ target, isIntersecting, boundingClientRect, rootBounds }, sight) {
        if (!sight) return;
        const { bottom } = boundingClientRect;
        if (isIntersecting && bottom <= rootBounds.bottom + 1) {
          sight.timer ??= setTimeout(() => {
            delete sight.timer;
            if (!document.hidden) read(target);
          }, WAIT);
        } else {
          clearTimeout(sight.timer);
          delete sight.timer;
        }
        if (isIntersecting) sight.since ??= performance.now();
        else if (bottom <= 0 && performance.now() - sight.since >= WAIT) read(target);
        else delete sight.since;
      }

      function read(end) {
        const { section } = sights.get(end);
        observer.unobserve(end);
        sights.delete(end);
        note(SECTION + placeOf(section), heading(section));
      }

      function begin() {
        observer.disconnect();
        for (const { timer } of sights.values()) clearTimeout(timer);
        sights.clear();
        const done = kept.read().pages[here] ?? {};
        const most = PATHS.indexOf(path());
        for (const section of article.querySelectorAll("section.counted")) {
          const own = [...section.children].filter((part) => !part.matches("section, script, span:empty"));
          const end = own.findLast((part) => rank(part) <= most);
          if (!end || SECTION + placeOf(section) in done) continue;
          sights.set(end, { section });
          observer.observe(end);
        }
      }

      begin();
      new MutationObserver(() => (begin(), show())).observe(document.documentElement, { attributeFilter: ["data-path"] });
    }

    // Where the reader stopped: the place when the page is left. A browser that is closed may not say that it is left;
    // the place is then that of what was noted last.
    function watchPlace() {
      document.addEventListener("visibilitychange", () => {
        if (document.hidden) kept.write(joined(kept.read(), { last: place() }));
      });
    }

    // --- One file, and nothing

    function workPanel(panel) {
      const [said, again] = [panel.querySelector("[role=status]"), panel.querySelector(".progress-undo")];
      const say = (words) => {
        said.textContent = words;
        again.hidden = true;
        show();
      };
      let forgotten = null;
      panel.querySelector(".progress-save").addEventListener("click", () => {
        const file = new Blob([JSON.stringify(kept.read(), null, 1)], { type: "application/json" });
        const link = element("a", { href: URL.createObjectURL(file), download: "progress.json" });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), WAIT);
        say("Saved as progress.json.");
      });
      panel.querySelector("input").addEventListener("change", async ({ target }) => {
        const [file] = target.files;
        if (!file) return;
        const data = parse(await file.text());
        target.value = "";
        if (data) kept.write(joined(kept.read(), data));
        say(data ? `Added what ${file.name} remembers.` : `${file.name} holds no progress that this edition can read.`);
      });
      panel.querySelector(".progress-forget").addEventListener("click", () => {
        forgotten = kept.read();
        kept.forget();
        say("Forgotten.");
        again.hidden = false;
      });
      again.addEventListener("click", () => {
        kept.write(joined(kept.read(), forgotten));
        say("Remembered again.");
        panel.querySelector(".progress-forget").focus(); // the button that had the focus is gone
      });
    }

    for (const panel of document.querySelectorAll(".progress-panel")) workPanel(panel);
    if (article?.querySelector("section.counted")) {
      watchAnswers();
      watchPlace();
      (globalThis.requestIdleCallback ?? setTimeout)(watchSections);
    }
    show();
    // Another page has noted something, or the browser has kept this one.
    addEventListener("storage", ({ key }) => key === KEY && show());
    addEventListener("pageshow", ({ persisted }) => persisted && show());
    document.addEventListener("visibilitychange", () => document.hidden || show());
    return kept;
  }

  return { attach, dayOf, joined, keeper, parse, share };
})();

if (globalThis.document) progress.kept = progress.attach(globalThis.progress_totals ?? {});
