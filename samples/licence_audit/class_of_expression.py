"""The class of a whole SPDX licence expression."""

from samples.licence_audit.licence_class import LicenceClass, most_permissive, strictest
from samples.licence_audit.licence_ids import class_of_licence
from samples.licence_audit.spdx import AllOf, AnyOf, Expression, Licence


def class_of_expression(expression: Expression) -> LicenceClass:
    """Return the class of `expression`: of OR the most permissive side, of AND the strictest."""
    match expression:
        case Licence():
            return class_of_licence(expression)
        case AllOf():
            return strictest(class_of_expression(part) for part in expression.parts)
        case AnyOf():
            return most_permissive(class_of_expression(part) for part in expression.parts)


def knows_all_ids(expression: Expression) -> bool:
    """Tell whether each licence of `expression` is in a class."""
    if isinstance(expression, Licence):
        return class_of_licence(expression) is not LicenceClass.UNKNOWN
    return all(knows_all_ids(part) for part in expression.parts)
