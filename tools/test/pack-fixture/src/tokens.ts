/** Injection token of the database. */
export const DATABASE = Symbol('database');
