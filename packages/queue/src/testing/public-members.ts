/** The public members of a class, which a test double implements. */
export type PublicMembers<T> = { [K in keyof T]: T[K] };
