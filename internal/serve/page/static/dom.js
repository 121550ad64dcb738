// Elements of the page.

export const byId = (id) => document.getElementById(id);

// make returns a new element with properties, such as {className: "a"}, and children.
export function make(tag, properties = {}, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
}

// options fills a menu with [value, text] pairs and selects one.
export function options(menu, pairs, selected) {
  menu.replaceChildren(...pairs.map(([value, text]) => make("option", { value, textContent: text })));
  menu.value = selected;
}

// setValue sets what a field shows, unless the user is typing in it.
export function setValue(field, value) {
  if (document.activeElement !== field && field.value !== String(value)) field.value = value;
}

// save downloads a blob as a file.
export function save(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
