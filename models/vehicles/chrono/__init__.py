"""Project Chrono's wheeled vehicles: its JSON files, read as data files of this library.

One file per subject; every template of Chrono is one function in the table of its subject.
"""
