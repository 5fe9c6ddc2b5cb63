import type { ReactNode } from 'react'
import type { Manifest } from '../../manifest.ts'
import { useIsConnected } from '../data/use-events.ts'
import { Sidebar } from './sidebar.tsx'
import './frame.css'

interface FrameProps {
  readonly manifest: Manifest | undefined
  readonly children: ReactNode
}

/** What stands around every page. */
export function Frame({ manifest, children }: FrameProps): ReactNode {
  const isConnected = useIsConnected()
  return (
    <div className="frame">
      <Sidebar manifest={manifest} isConnected={isConnected} />
      <main className="inset">{children}</main>
    </div>
  )
}
