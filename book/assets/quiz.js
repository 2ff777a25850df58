// A quiz counts the questions whose first choice was right, of those that the reader's path shows. Its choices are folds,
// which say themselves what is wrong.
(() => {
  const questions = [...document.querySelectorAll("article .question-of-quiz")];
  if (!questions.length) return;
  const tries = new Map(); // whether the first choice of a question was right
  const score = document.createElement("p");
  score.className = "quiz-score";
  score.setAttribute("role", "status");

  function choicesOf(question) {
    const choices = [];
    for (let next = question.nextElementSibling; next?.matches(".choice"); next = next.nextElementSibling) choices.push(next);
    return choices;
  }

  function say() {
    const shown = questions.filter((question) => question.getClientRects().length);
    const tried = shown.filter((question) => tries.has(question));
    const right = tried.filter((question) => tries.get(question)).length;
    score.textContent = tried.length
      ? `${right} of ${shown.length} right at the first try` + (tried.length < shown.length ? " so far." : ".")
      : `${shown.length} questions. Choose an answer to see whether it is right.`;
  }

  for (const question of questions) {
    for (const choice of choicesOf(question)) {
      choice.querySelector("summary").addEventListener("click", () => {
        if (!tries.has(question)) tries.set(question, choice.matches(".right"));
        say();
      });
    }
  }
  choicesOf(questions.at(-1)).at(-1).after(score);
  say();
  new MutationObserver(say).observe(document.documentElement, { attributeFilter: ["data-path"] });
})();
