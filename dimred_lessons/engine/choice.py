"""Which engine suits a task: rules that know nothing but sizes."""


def one_thread_suits(n_entries: int) -> bool:
    """Whether a step of EM over a table is faster with one thread of BLAS than with several.

    Up to 2²⁰ entries the systems to be solved are too small for threads, which would wait for each other.

    Parameters
    ----------
    n_entries : int
        Entries of the table.

    Returns
    -------
    bool
    """
    return n_entries <= 2**20
