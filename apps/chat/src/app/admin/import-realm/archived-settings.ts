import type { z } from 'zod';
import type { ArchivedTableRow } from './archive/archive-row.js';
import type { RealmImportReport } from './import-report.js';

/** Names of the choices of each setting that archives store as a number, by setting and number. */
const settingChoicesByArchivedNumber: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  topics_policy: { 1: 'inherit', 2: 'allow_empty_topic', 3: 'disable_empty_topic', 4: 'empty_topic_only' },
  message_edit_history_visibility_policy: { 1: 'all', 2: 'moves', 3: 'none' },
  resolved_topic_notice_auto_read_policy: { 1: 'always', 2: 'except_followed', 3: 'never' },
};

/** Returns the name of the setting choice that a column stores as a number; undefined for an unknown number. */
export function getArchivedSettingChoice(row: ArchivedTableRow, setting: string): string | undefined {
  return settingChoicesByArchivedNumber[setting]?.[Number(row.getUncheckedColumnValue(setting))];
}

/**
 * Returns the settings in an archived row that differ from their defaults. Values that the schema rejects are omitted.
 *
 * @param omitted names of settings that are not imported
 */
export function readArchivedSettings(
  schema: z.ZodObject,
  row: ArchivedTableRow,
  report: RealmImportReport,
  omitted: readonly string[] = [],
): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    const sent = Object.hasOwn(settingChoicesByArchivedNumber, name)
      ? getArchivedSettingChoice(row, name)
      : row.getUncheckedColumnValue(name);
    if (sent === undefined || omitted.includes(name)) continue;
    const parsed = type.safeParse(sent);
    if (!parsed.success) report.addSkippedRowCount(`settings ${name} with unknown values`);
    else if (parsed.data !== type.parse(undefined)) settings[name] = parsed.data;
  }
  return settings;
}
