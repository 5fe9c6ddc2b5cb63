import type { Manifest } from '../../manifest.ts'
import type { Tone } from '../components/pill.tsx'

/** The dev server's state, as a label and its color. */
export interface ConnectionStatus {
  readonly text: 'Connected' | 'Connecting' | 'Restarting' | 'No response' | 'Build failed' | 'Link required'
  readonly tone: Tone
}

interface ConnectionInput {
  readonly isConnected: boolean
  readonly manifest: Pick<Manifest, 'isReloading' | 'problems'> | undefined
  /** The error from the last attempt to read the manifest. */
  readonly error: { readonly status: number } | null
}

/** Returns whether the server rejects this browser, for example because the server's secret has changed. */
export function isLinkRequired(error: ConnectionInput['error']): boolean {
  return error?.status === 401 || error?.status === 403
}

/** Returns the status shown in the header. A server that has just disconnected counts as restarting. */
export function toConnectionStatus({ isConnected, manifest, error }: ConnectionInput): ConnectionStatus {
  if (isLinkRequired(error)) return { text: 'Link required', tone: 'bad' }
  if (!isConnected && manifest !== undefined && error?.status === 0) return { text: 'No response', tone: 'bad' }
  if (!isConnected) return { text: manifest === undefined ? 'Connecting' : 'Restarting', tone: 'busy' }
  if (manifest?.isReloading === true) return { text: 'Restarting', tone: 'busy' }
  if (manifest !== undefined && manifest.problems.length > 0) return { text: 'Build failed', tone: 'bad' }
  return { text: 'Connected', tone: 'good' }
}
