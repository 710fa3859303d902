/** Labels of the form factors of racks, by stored value. */
export const rackFormFactors = {
  '2-post-frame': '2-post frame',
  '4-post-frame': '4-post frame',
  '4-post-cabinet': '4-post cabinet',
  'wall-frame': 'Wall-mounted frame',
  'wall-frame-vertical': 'Wall-mounted frame (vertical)',
  'wall-cabinet': 'Wall-mounted cabinet',
  'wall-cabinet-vertical': 'Wall-mounted cabinet (vertical)',
};

/** Labels of the inner widths of racks, by stored value in inches. */
export const rackWidths = { 10: '10 inches', 19: '19 inches', 21: '21 inches', 23: '23 inches' };

/** Labels of the units of a rack's outer dimensions, by stored value. */
export const rackOuterDimensionUnits = { mm: 'Millimeters', in: 'Inches' };
