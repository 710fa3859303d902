/** Models of objects with `paths/`: paths pass through them. */
export const passThroughModels: readonly string[] = [
  'circuits.circuittermination',
  'circuits.virtualcircuittermination',
  'dcim.frontport',
  'dcim.rearport',
];
