import type { ModelDefinition } from '../../engine/declaration/model.js';
import { withBookmarks } from './bookmarks.js';
import { withCloning } from './cloning.js';
import { withContacts } from './contacts.js';
import { withCustomLinks } from './custom-links.js';
import { withExportTemplates } from './export-templates.js';
import { withImages } from './images.js';
import { withJobs } from './jobs.js';
import { withJournal } from './journaling.js';
import { withNotifications } from './notifications.js';
import { withTags } from './tags.js';

/** Models whose objects follow a file of a data source. */
const withSyncedData = [
  'extras.configcontext',
  'extras.configcontextprofile',
  'extras.configtemplate',
  'extras.exporttemplate',
  'extras.scriptmodule',
];

/** Models whose objects keep custom fields that no path of the API shows. */
const withUnseenCustomFields = [
  'circuits.circuitgroupassignment',
  'extras.configcontextprofile',
  'ipam.vlantranslationpolicy',
  'ipam.vlantranslationrule',
];

const lists: Readonly<Record<string, readonly string[]>> = {
  bookmarks: withBookmarks,
  cloning: withCloning,
  contacts: withContacts,
  custom_fields: withUnseenCustomFields,
  custom_links: withCustomLinks,
  export_templates: withExportTemplates,
  image_attachments: withImages,
  jobs: withJobs,
  journaling: withJournal,
  notifications: withNotifications,
  synced_data: withSyncedData,
  tags: withTags,
};

/** What can be done with objects of a model beside reading and writing them, in alphabetical order. */
export function featuresOf({ type, changeLog, events, fields }: ModelDefinition): readonly string[] {
  const listed = Object.keys(lists).filter((feature) => lists[feature]?.includes(type) === true);
  const own = [
    ...(changeLog ? ['change_logging'] : []),
    ...(events ? ['event_rules'] : []),
    ...(events && type !== 'extras.script' ? ['custom_validation'] : []),
    ...(fields['custom_fields'] === undefined ? [] : ['custom_fields']),
  ];
  return [...new Set([...listed, ...own])].toSorted();
}
