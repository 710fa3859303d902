/** Units of length of lines and links. */
export const distanceUnits = { km: 'Kilometers', m: 'Meters', mi: 'Miles', ft: 'Feet' };

/** Units of weight. */
export const weightUnits = { kg: 'Kilograms', g: 'Grams', lb: 'Pounds', oz: 'Ounces' };
