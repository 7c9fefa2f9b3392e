"""Numbers with units from data files.

A parameter set is described by pydantic models (`schema`) whose leaves are `ParameterQuantity` fields.  Its
numbers come in layers (a data file, a variant laid over it, overrides from a command line); every layer is a
list of assignments ``key = value`` (`reading`) that remember their source and where they stand, so that
messages can name file and line.

Some sections exist once per *member* (for a vehicle: per corner; `Groups`).  A key then starts with a member
(``front_left.spring.linear``), with a group of members (``front.spring.linear``) or with neither
(``spring.linear``: all members).  **A later layer wins over an earlier one; within a layer the more specific
name wins over the more general one; of equal names the last wins.** (`schema.lay`)

Wrong input raises `DataError`, in one line that names the place, the value, what is allowed and a remedy.
"""
