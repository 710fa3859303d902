/** A compose-box command that changes one setting of its user. */
export interface SettingCommand {
  readonly setting: 'color_scheme' | 'fluid_layout_width';
  readonly value: number | boolean;
  /** Name of the new setting, as shown to the user. */
  readonly mode: string;
  /** Name of the setting in the text for a user who already has the setting. */
  readonly currentMode: string;
  /** Name of the command that reverts this command. */
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

/** Commands that change a setting, by name without the slash. `night` and `day` are older names. */
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

/** Names of the commands that change a setting, for documentation. */
export const settingCommandNames = [...settingCommands.keys()].map((name) => `/${name}`).join(', ');
