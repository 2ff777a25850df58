"""Reports of examinations in the book: one call that shows where to open one."""

from IPython.display import display

from dimred_lessons.classroom.plotting import in_book, require_texts

REPORT = "application/vnd.dimred.report+json"  # media type of a report as the build of the book takes it


def show_report(report, *, name, words):
    """Show that there is a report: on a page of the book, a link that opens it; elsewhere, how it is written.

    Parameters
    ----------
    report : str
        A page of HTML that loads nothing, such as `dimred_lessons.tables.report.report_html` gives.
    name : str
        What its file is called, without ending.
    words : str
        What the link says.

    Raises
    ------
    ValueError
        If one of the texts is empty.
    """
    require_texts(report=report, name=name, words=words)
    shown = {"text/plain": f'examination.save("{name}.html") writes it'}
    display(shown | ({REPORT: {"html": report, "name": name, "words": words}} if in_book() else {}), raw=True)
