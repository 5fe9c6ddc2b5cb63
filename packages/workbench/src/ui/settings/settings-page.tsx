import type { ReactNode } from 'react'

/** Settings. */
export function SettingsPage(): ReactNode {
  return <h1>Settings</h1>
}
