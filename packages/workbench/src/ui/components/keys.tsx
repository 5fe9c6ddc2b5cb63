import type { ReactNode } from 'react'
import { toKeyLabels } from './use-hotkeys.ts'

/** Shows a hotkey: `<Keys of="mod+k" />`. */
export function Keys({ of }: { of: string }): ReactNode {
  return (
    <span className="keys">
      {toKeyLabels(of).map((label) => (
        <kbd key={label}>{label}</kbd>
      ))}
    </span>
  )
}
