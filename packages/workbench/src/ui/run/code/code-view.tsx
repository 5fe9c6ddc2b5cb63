import type { ReactNode } from 'react'
import type { Run } from '../../../run.ts'
import { useChosenIdentity } from '../../data/identity.ts'
import { useManifest } from '../../data/use-manifest.ts'
import type { CallInput } from '../../input/call-input.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { useTickOff } from '../../components/use-done-steps.ts'
import { useStoredState } from '../../components/stored-value.ts'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { hasRecordings, SaveTest } from './save-test.tsx'
import { snippetsOf, type TestOptions } from './snippets.ts'

interface SnippetsViewProps {
  readonly route: string
  readonly input: CallInput
  /** The recorded run, or undefined if there is none. */
  readonly run: Run | undefined
  /** The output of the run as its caller received it, or undefined if it is not known. */
  readonly output: unknown
}

/** Code snippets that call a route with the given input. */
export function SnippetsView({ route, input, run, output }: SnippetsViewProps): ReactNode {
  const [kept, setKept] = useStoredState('snippet', 'curl')
  const tick = useTickOff('test')
  const manifest = useManifest()
  const who = useChosenIdentity()
  const user = who.kind === 'user' ? who : null
  const callsModels = (run?.models.length ?? 0) > 0
  const runner = manifest?.testRunner ?? 'vitest'
  const test = { runner, user: run?.identity ?? null, output }
  const snippets = (models: TestOptions['models']): ReturnType<typeof snippetsOf> =>
    snippetsOf(route, input, { caller: user?.user ?? null, test: { ...test, models } })
  const all = snippets(callsModels ? 'models' : undefined)
  const chosen = all.find(({ title }) => title === kept) ?? all[0]
  if (chosen === undefined) return null
  const isTest = chosen.title === 'Test'
  const testCode = (models: string | undefined): string =>
    snippets(models).find(({ title }) => title === 'Test')?.code ?? ''
  return (
    <div className="snippets">
      <SegmentedControl
        label="Call with"
        names={all.map(({ title }) => title)}
        chosen={chosen.title}
        onChoose={setKept}
      />
      <CodeBlock title={chosen.title} code={chosen.code} onCopy={() => isTest && tick()} />
      {isTest && run !== undefined && run.state === 'done' && (!callsModels || hasRecordings(run)) && (
        <SaveTest key={run.id} run={run} toCode={testCode} onSaved={tick} />
      )}
      {isTest && callsModels && run !== undefined && !hasRecordings(run) && (
        <p className="quiet small">
          The run called a model. Run the test once with <code>MODELS=record</code>, so that it records the responses,
          and commit the files. Later runs of the test replay them.
        </p>
      )}
      {user !== null && chosen.code.includes('TOKEN') && (
        <p className="quiet small snippet-token">
          <code>TOKEN</code> is the token of {user.user.email}, the identity in the header.
          <CopyButton label="Copy token" text={user.token} />
        </p>
      )}
    </div>
  )
}
