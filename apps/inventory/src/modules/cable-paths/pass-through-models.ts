/** Models of the objects through which cable paths pass. These objects have the endpoint `paths/`. */
export const passThroughModels: readonly string[] = [
  'circuits.circuittermination',
  'circuits.virtualcircuittermination',
  'dcim.frontport',
  'dcim.rearport',
];
