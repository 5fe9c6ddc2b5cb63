import type { ReactNode } from 'react'
import { useChosenIdentity } from '../../data/identity.ts'
import type { CallInput } from '../../input/call-input.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { useTickOff } from '../../components/use-done-steps.ts'
import { useStoredState } from '../../components/stored-value.ts'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { snippetsOf } from './snippets.ts'

interface SnippetsViewProps {
  readonly route: string
  readonly input: CallInput
  /** Whether the run called a model, so that a test needs its recorded responses. */
  readonly callsModels: boolean
}

/** Code snippets that call a route with the given input. */
export function SnippetsView({ route, input, callsModels }: SnippetsViewProps): ReactNode {
  const [kept, setKept] = useStoredState('snippet', 'curl')
  const tick = useTickOff('test')
  const who = useChosenIdentity()
  const user = who.kind === 'user' ? who : null
  const snippets = snippetsOf(route, input, { caller: user?.user ?? null, callsModels })
  const chosen = snippets.find(({ title }) => title === kept) ?? snippets[0]
  if (chosen === undefined) return null
  return (
    <div className="snippets">
      <SegmentedControl
        label="Call with"
        names={snippets.map(({ title }) => title)}
        chosen={chosen.title}
        onChoose={setKept}
      />
      <CodeBlock title={chosen.title} code={chosen.code} onCopy={() => chosen.title === 'Test' && tick()} />
      {chosen.title === 'Test' && callsModels && (
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
