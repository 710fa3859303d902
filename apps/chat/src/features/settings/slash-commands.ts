/** A slash command of the compose box that changes one setting of the user. */
export interface SettingCommand {
  readonly setting: 'color_scheme' | 'fluid_layout_width';
  readonly value: number | boolean;
  /** User-visible name of the setting value that the slash command sets. */
  readonly mode: string;
  /** Name of the setting value in the response text for a user who already has this value. */
  readonly currentMode: string;
  /** Name of the slash command that reverts the change of this slash command. */
  readonly opposite: string;
}

const darkThemeCommand: SettingCommand = {
  setting: 'color_scheme',
  value: 2,
  mode: 'dark theme',
  currentMode: 'dark theme',
  opposite: 'light',
};

const lightThemeCommand: SettingCommand = {
  setting: 'color_scheme',
  value: 3,
  mode: 'light theme',
  currentMode: 'light theme',
  opposite: 'dark',
};

/**
 * Slash commands that change a user setting, by name without the slash. The commands `night` and `day` are older names
 * for the color schemes.
 */
export const settingCommands: ReadonlyMap<string, SettingCommand> = new Map([
  ['dark', darkThemeCommand],
  ['night', darkThemeCommand],
  ['light', lightThemeCommand],
  ['day', lightThemeCommand],
  [
    'fluid-width',
    {
      setting: 'fluid_layout_width',
      value: true,
      mode: 'fluid-width mode',
      currentMode: 'fluid width mode',
      opposite: 'fixed-width',
    },
  ],
  [
    'fixed-width',
    {
      setting: 'fluid_layout_width',
      value: false,
      mode: 'fixed-width mode',
      currentMode: 'fixed width mode',
      opposite: 'fluid-width',
    },
  ],
]);

/** Names of the slash commands that change a user setting, used in the documentation. */
export const settingCommandNames = [...settingCommands.keys()].map((name) => `/${name}`).join(', ');
