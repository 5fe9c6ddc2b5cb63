/** All hotkeys by context. The hotkeys that open a page are in `frame/pages`. */
export const SHORTCUTS = [
  { where: 'Everywhere', keys: { 'mod+k': 'Search and commands', '?': 'Keyboard shortcuts' } },
  { where: 'Calls', keys: { 'mod+Enter': 'Run or send', Escape: 'Cancel' } },
  {
    where: 'Runs',
    keys: { j: 'Next', k: 'Previous', Enter: 'Open', p: 'Pin or unpin', x: 'Select to compare' },
  },
] as const

type KeysOf<Group> = Group extends { keys: infer Keys } ? keyof Keys : never

/** A hotkey. Only hotkeys in the list above can be used. */
export type Hotkey = KeysOf<(typeof SHORTCUTS)[number]> | GoKeys

/** A key sequence that opens a page. */
export type GoKeys = `g ${string}`
