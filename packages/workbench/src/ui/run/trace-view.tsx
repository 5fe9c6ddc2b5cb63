import type { ReactNode } from 'react'
import type { Run } from '../../run.ts'
import { Empty } from '../parts/empty.tsx'

/** What ran inside of a run, and when. */
export function TraceView({ run }: { run: Run | undefined }): ReactNode {
  if (run === undefined) return <Empty title="Not recorded yet" />
  return <pre>{JSON.stringify(run.spans, null, 2)}</pre>
}
