/** Models of the objects that cable paths pass through, which have the endpoint `paths/`. */
export const passThroughModels: readonly string[] = [
  'circuits.circuittermination',
  'circuits.virtualcircuittermination',
  'dcim.frontport',
  'dcim.rearport',
];
