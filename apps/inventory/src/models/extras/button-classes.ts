/** Labels of the colors of buttons, by stored value. */
export const buttonClasses = {
  default: 'Default',
  blue: 'Blue',
  indigo: 'Indigo',
  purple: 'Purple',
  pink: 'Pink',
  red: 'Red',
  orange: 'Orange',
  yellow: 'Yellow',
  green: 'Green',
  teal: 'Teal',
  cyan: 'Cyan',
  gray: 'Gray',
  black: 'Black',
  white: 'White',
  'ghost-dark': 'Link',
};
