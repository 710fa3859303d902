/** Of a model whose objects have a page of their own. */
export const ofPages = ['bookmarks', 'cloning', 'custom_links', 'export_templates', 'notifications'] as const;
/** Of a model that people document their network in: most of them. */
export const ofMainModels = [...ofPages, 'journaling', 'tags'] as const;

/**
 * Features of a model that its declaration does not show: bookmarks, cloning by a prefilled form, contacts, images,
 * jobs, journal entries, tags, notifications, custom links, export templates, content from a file of a data source
 * (synced_data). `custom_fields` stands here for models that keep custom fields which no path of the API shows. Source:
 * docs/contract/inventory.md 3.1, the object types of the reference.
 */
export type Feature =
  | (typeof ofMainModels)[number]
  | 'contacts'
  | 'custom_fields'
  | 'image_attachments'
  | 'jobs'
  | 'synced_data';
