import type { ReactNode } from 'react'
import type { Run } from '../../run.ts'
import type { CallInput } from '../input/call-input.ts'
import type { BenchCall } from '../runner/use-call.ts'

interface RunViewProps {
  /** The call that this page makes, while it is on; null where a recorded run is looked at. */
  readonly call: BenchCall | null
  /** What was recorded of it; undefined until it is. */
  readonly run: Run | undefined
  readonly route: string
  /** What it was, or would be, called with. */
  readonly input: CallInput
}

/** A run in its views: Output, Stream, Trace, Logs, Headers, Code. */
export function RunView({ call, run }: RunViewProps): ReactNode {
  return <pre>{JSON.stringify(run ?? call?.output, null, 2)}</pre>
}
