const shortest = 12;

/** What is wrong with a new password: 12 characters, upper and lower case and a digit are asked for (contract 1.2). */
export function passwordProblems(password: string): string[] {
  return [
    ...(password.length < shortest
      ? [`This password is too short. It must contain at least ${shortest} characters.`]
      : []),
    ...(/\d/.test(password) ? [] : ['Password must have at least one numeral.']),
    ...(/\p{Lu}/u.test(password) ? [] : ['Password must have at least one uppercase letter.']),
    ...(/\p{Ll}/u.test(password) ? [] : ['Password must have at least one lowercase letter.']),
  ];
}
