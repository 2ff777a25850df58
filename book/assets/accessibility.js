// What the theme leaves out for readers who use a screen reader. Its buttons have a name that differs from the
// text they show, and the book's title lies in no region of the page.
for (const button of document.querySelectorAll(".search-button-field, .theme-switch-button")) {
  const shown = button.textContent.replace(/\s+/g, " ").trim();
  if (shown) button.setAttribute("aria-label", shown);
}
for (const title of document.querySelectorAll(".sidebar-primary-item > .navbar-brand")) {
  title.parentElement.setAttribute("role", "navigation");
  title.parentElement.setAttribute("aria-label", "Book title");
}
