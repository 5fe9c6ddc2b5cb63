import type { Manifest } from '../../manifest.ts'
import type { Tone } from '../components/pill.tsx'

/** The state of the dev server, as a label and its colour. */
export interface ConnectionStatus {
  readonly text: 'Connected' | 'Connecting' | 'Restarting' | 'No answer' | 'Build failed' | 'Link needed'
  readonly tone: Tone
}

interface ConnectionInput {
  readonly isConnected: boolean
  readonly manifest: Pick<Manifest, 'isReloading' | 'problems'> | undefined
  /** Why the manifest could not be read the last time. */
  readonly error: { readonly status: number } | null
}

/** Does the server refuse this browser, as one with another secret does? */
export function isLinkRequired(error: ConnectionInput['error']): boolean {
  return error?.status === 401 || error?.status === 403
}

/** The state that the header shows. A server that answered a moment ago counts as restarting. */
export function toConnectionStatus({ isConnected, manifest, error }: ConnectionInput): ConnectionStatus {
  if (isLinkRequired(error)) return { text: 'Link needed', tone: 'bad' }
  if (!isConnected && manifest !== undefined && error?.status === 0) return { text: 'No answer', tone: 'bad' }
  if (!isConnected) return { text: manifest === undefined ? 'Connecting' : 'Restarting', tone: 'busy' }
  if (manifest?.isReloading === true) return { text: 'Restarting', tone: 'busy' }
  if (manifest !== undefined && manifest.problems.length > 0) return { text: 'Build failed', tone: 'bad' }
  return { text: 'Connected', tone: 'good' }
}
