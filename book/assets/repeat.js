// A page that asks again what a reader has met: questions that were answered, exercises that were solved, and terms of
// sections that were read. When each is due, fsrs.js says; what is kept of it lies beside the progress (progress.js).
// _static/repeat/names.js says what there is, and a script for each page has its questions, loaded when one is asked.
const repeat = (() => {
  const MOST = 20; // questions in a row
  const RATINGS = ["Forgotten", "Hard", "Good", "Easy"];
  const [FORGOTTEN, HARD, GOOD, EASY] = [1, 2, 3, 4];

  // --- What is due

  // All that the book can ask: page and name, the pages that it is about, and since when the reader knows it; undefined if
  // the reader does not, and null if no day is known.
  function questions({ asked, terms }, { pages, met }) {
    const since = (page, name) => (pages[page]?.[name] === undefined ? undefined : (met[page]?.[name] ?? null));
    const found = [];
    for (const [page, named] of Object.entries(asked)) {
      for (const name of named) found.push({ page, name, about: [page], since: since(page, name) });
    }
    for (const [name, { page, explained }] of Object.entries(terms)) {
      const days = explained.map(([where, section]) => since(where, section)).filter((day) => day !== undefined);
      const first = days.includes(null) ? null : Math.min(...days);
      found.push({ page, name, about: explained.map(([where]) => where), since: days.length ? first : undefined });
    }
    return found;
  }

  // What the reader knows of these, each with the day on which it is due: what has never been asked, a day after it was met.
  function schedule(found, cards) {
    const known = [];
    for (const one of found) {
      const card = cards[one.page]?.[one.name];
      if (card) known.push({ ...one, asked: true, due: card.due });
      else if (one.since !== undefined) known.push({ ...one, asked: false, due: one.since === null ? -Infinity : one.since + 1 });
    }
    return known;
  }

  // The first to be asked: those that have been asked before, longest due, and then new ones in the order of the book.
  function dueOn(day, known) {
    return known.filter(({ due }) => due <= day).sort((one, other) => other.asked - one.asked || (one.asked && one.due - other.due));
  }

  // How many come next, and when; null if there is nothing more.
  function nextAfter(day, known) {
    const later = known.map(({ due }) => due).filter((due) => due > day);
    const next = Math.min(...later);
    return later.length ? { day: next, count: later.filter((due) => due === next).length } : null;
  }

  // A card after it was asked on a day.
  function reviewed(card, rating, day) {
    const known = fsrs.review(card ?? null, rating, card ? Math.max(day - card.day, 0) : 0);
    return { day, due: day + fsrs.interval(known), ...known };
  }

  // --- Words

  const counted = (count, one = "question") => `${count} ${one}${count === 1 ? "" : "s"}`;

  function inDays(days) {
    if (days < 31) return counted(days, "day");
    return days < 365 ? counted(Math.round(days / 30.4), "month") : `${(days / 365).toFixed(1).replace(".0", "")} years`;
  }

  function dateOf(day, today) {
    if (day === today + 1) return "tomorrow";
    const long = { weekday: "long", month: "long", day: "numeric", timeZone: "UTC" };
    const date = new Date(day * 86_400_000).toLocaleDateString("en-US", long);
    return `in ${inDays(day - today)}, on ${date}`;
  }

  // --- The page

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  const button = (words, work, className = "") => {
    const made = element("button", { type: "button", textContent: words, className });
    made.addEventListener("click", work);
    return made;
  };

  function attach(place, names, kept) {
    const root = new URL(document.documentElement.dataset.content_root, location.href);
    const today = () => progress.dayOf(new Date());
    const said = element("p", { className: "repeat-said" });
    said.setAttribute("role", "status");
    const stage = element("div", { className: "repeat-stage", tabIndex: -1 });
    stage.setAttribute("role", "group");
    stage.setAttribute("aria-label", "Question");

    // The questions of a page, from a script beside the book's pages.
    const loading = {};
    function load(page) {
      loading[page] ??= new Promise((done) => {
        const script = element("script", { src: new URL(`_static/repeat/${page}.js`, root).href });
        script.onload = script.onerror = () => done(window.bookQuestions?.[page] ?? {});
        document.head.append(script);
      });
      return loading[page];
    }

    // --- Before and after questions

    function home(before = "") {
      const data = kept.read();
      const all = questions(names, data);
      const known = schedule(all, data.cards);
      const due = dueOn(today(), known);
      said.textContent = `${before} ${summary(known, due)}`.trim();
      stage.replaceChildren();
      if (due.length) {
        const words = due.length > MOST ? `Begin with ${MOST} of them` : "Begin";
        stage.append(button(words, () => ask(due.slice(0, MOST)), "repeat-begin"));
      }
      stage.append(chooser(all));
    }

    function summary(known, due) {
      if (due.length) return `${counted(due.length)} ${due.length === 1 ? "is" : "are"} due.`;
      const next = nextAfter(today(), known);
      if (next) {
        return `Nothing is due. ${counted(next.count)} come${next.count === 1 ? "s" : ""} next, ${dateOf(next.day, today())}.`;
      }
      return (
        "Nothing is known of what you have read. Answer a quiz or an exercise in a chapter, or read a section: " +
        "a day later it can be repeated here."
      );
    }

    // Whatever is due, a chapter can be asked as a whole.
    function chooser(all) {
      const options = Object.keys(names.asked).map((page) => {
        const count = all.filter(({ about }) => about.includes(page)).length;
        return element("option", { value: page, textContent: `${names.titles[page]} (${count})` });
      });
      const select = element("select", {}, ...options);
      const form = element(
        "form",
        { className: "repeat-choose" },
        element("label", {}, "Or all of one chapter ", select),
        element("button", { type: "submit", textContent: "Ask" }),
      );
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        ask(all.filter(({ about }) => about.includes(select.value)));
      });
      return form;
    }

    // --- Questions

    async function ask(queue, done = 0) {
      if (!queue.length) {
        home(`${counted(done)} answered.`);
        focusOn(stage.querySelector("button"));
        return;
      }
      const [one, ...rest] = queue;
      const question = (await load(one.page))[one.name];
      if (!question) return ask(rest, done);
      said.textContent = `${counted(queue.length)} left.`;
      const body = element("div", { className: "repeat-question", innerHTML: question.ask });
      for (const image of body.querySelectorAll("img")) image.src = new URL(image.dataset.src, root).href;
      const [where, section] = names.terms[one.name]?.explained[0] ?? [one.page, question.place];
      const href = new URL(`${where}.html#${section.replace("§", "")}`, root).href;
      const link = element("a", { href, textContent: names.titles[where] });
      const controls = element("div", { className: "repeat-controls" });
      const stop = button("Stop", () => {
        home(done ? `${counted(done)} answered.` : "");
        focusOn(stage.querySelector("button"));
      });
      stage.replaceChildren(element("p", { className: "repeat-where" }, link), body, controls, stop);
      watchBoxes(body);

      const kind = body.querySelector("form.answer") ? exercise : body.querySelector(".choice") ? quiz : term;
      kind(body, controls, question, (remembered) => {
        rate(controls, one, remembered, (rating) => {
          note(one, rating);
          // What was forgotten comes again before the end.
          ask(rating === FORGOTTEN ? [...rest, one] : rest, rating === FORGOTTEN ? done : done + 1);
        });
      });
      focusOn(stage);
    }

    function focusOn(part) {
      part?.focus({ preventScroll: true });
      const { top } = place.getBoundingClientRect();
      if (top < 0 || top > innerHeight / 2) place.scrollIntoView();
    }

    // The first choice counts; its comment unfolds, and that of the right one.
    function quiz(body, controls, question, finish) {
      const choices = [...body.querySelectorAll("details.choice")];
      let first = null;
      for (const choice of choices) {
        choice.querySelector("summary").addEventListener("click", () => {
          if (first) return;
          first = choice;
          const right = choices.find((one) => one.matches(".right"));
          if (choice !== right) right.open = true;
          finish(choice === right);
        });
      }
    }

    // The first verdict counts; after a wrong one there may be more, or the solution.
    function exercise(body, controls, question, finish) {
      const form = body.querySelector("form.answer");
      answers.attach(form);
      let first = null;
      const settle = (verdict) => {
        if (first) return;
        first = verdict;
        show(body, question.show);
        finish(verdict === "correct");
      };
      form.addEventListener("submit", () => {
        const { verdict } = form.dataset;
        if (verdict === "correct" || verdict === "wrong") settle(verdict);
      });
      controls.append(button("I do not know", () => settle("wrong")));
    }

    // The reader says it, looks, and judges.
    function term(body, controls, question, finish) {
      body.prepend(element("p", { className: "repeat-task", textContent: "What is meant by this term?" }));
      controls.append(
        button("Show", () => {
          show(body, question.show);
          finish(null);
        }),
      );
    }

    function show(body, html) {
      if (!html) return;
      const shown = element("div", { className: "repeat-shown", innerHTML: html });
      for (const image of shown.querySelectorAll("img")) image.src = new URL(image.dataset.src, root).href;
      body.append(shown);
      watchBoxes(shown);
    }

    // Buttons for how it went, each with the time until it is asked again. Who was wrong has forgotten.
    function rate(controls, one, remembered, rated) {
      const offered = remembered === null ? [FORGOTTEN, HARD, GOOD, EASY] : remembered ? [HARD, GOOD, EASY] : [FORGOTTEN];
      const card = kept.read().cards[one.page]?.[one.name];
      const buttons = offered.map((rating) => {
        const words = rating === FORGOTTEN && offered.length === 1 ? "Next" : RATINGS[rating - 1];
        const made = button(words, () => rated(rating));
        const wait = rating === FORGOTTEN ? "again today" : `in ${inDays(reviewed(card, rating, today()).due - today())}`;
        made.append(" ", element("small", { textContent: wait }));
        return made;
      });
      controls.replaceChildren(...buttons);
      buttons[Math.max(offered.indexOf(GOOD), 0)].focus({ preventScroll: true });
      controls.scrollIntoView({ block: "nearest" });
    }

    function note({ page, name }, rating) {
      const data = kept.read();
      const cards = { ...data.cards, [page]: { ...data.cards[page] } };
      cards[page][name] = reviewed(cards[page][name], rating, today());
      kept.write({ ...data, cards });
    }

    // Digits choose among choices and ratings, as they stand.
    document.addEventListener("keydown", (event) => {
      const typed = event.target.matches("input, textarea, select") || event.ctrlKey || event.altKey || event.metaKey;
      if (typed || !/^[1-9]$/.test(event.key)) return;
      const rows = [...stage.querySelectorAll(".repeat-controls button")];
      const choices = [...stage.querySelectorAll(".choice > summary")];
      const chosen = (rows.length ? rows : choices)[event.key - 1];
      chosen?.click();
    });

    place.append(said, stage);
    place.hidden = false;
    home();
  }

  return { attach, dueOn, nextAfter, questions, reviewed, schedule };
})();

if (globalThis.document) {
  const place = document.querySelector(".repeat");
  if (place) repeat.attach(place, globalThis.bookNames, progress.kept);
}
