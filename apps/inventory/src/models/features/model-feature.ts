/** Names of the features that all models have whose objects have a page in the user interface. */
export const featuresOfModelsWithPages = [
  'bookmarks',
  'cloning',
  'custom_links',
  'export_templates',
  'notifications',
] as const;
/** Names of the features that most models that describe the network have. */
export const featuresOfMainModels = [...featuresOfModelsWithPages, 'journaling', 'tags'] as const;

/**
 * Name of a feature of a model that cannot be derived from the declaration of the model. `cloning` is the copy of an
 * object by a prefilled form. `synced_data` is content from a file of a data source. `custom_fields` is listed for
 * models whose custom fields no endpoint shows. Source: docs/contract/inventory.md 3.1 and the object types of the
 * reference API.
 */
export type ModelFeature =
  | (typeof featuresOfMainModels)[number]
  | 'contacts'
  | 'custom_fields'
  | 'image_attachments'
  | 'jobs'
  | 'synced_data';
