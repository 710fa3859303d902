/** Type with the public members of a class `T`. A test double implements this type. */
export type PublicMembersOfClass<T> = { [K in keyof T]: T[K] };
