// A planted fault: elements have no such property, nor one of a similar name. The check of types must find it.
export const wrong = () => document.createElement("input").noSuchProperty;
