import type { ReactNode } from 'react'
import type { InspectedRun } from '../../api.ts'
import { Pill, type Tone } from '../components/pill.tsx'

const STATUS_TONES: Readonly<Record<InspectedRun['status'], Tone>> = {
  queued: 'quiet',
  running: 'busy',
  waiting: 'warn',
  done: 'good',
  failed: 'bad',
  cancelled: 'quiet',
}

/** The status of a durable run. */
export function StatusPill({ status }: Pick<InspectedRun, 'status'>): ReactNode {
  return <Pill tone={STATUS_TONES[status]}>{status}</Pill>
}
