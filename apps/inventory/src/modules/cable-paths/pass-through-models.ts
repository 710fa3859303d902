/** Models of the objects through which cable paths pass. These objects have the endpoint `paths/`. */
export const cablePassThroughModels: readonly string[] = [
  'circuits.circuittermination',
  'circuits.virtualcircuittermination',
  'dcim.frontport',
  'dcim.rearport',
];
