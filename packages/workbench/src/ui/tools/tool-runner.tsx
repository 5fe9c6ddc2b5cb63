import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { Keys } from '../components/keys.tsx'
import { Pill, type Tone } from '../components/pill.tsx'
import { RouteName } from '../components/route-name.tsx'
import { SplitPane } from '../components/split-pane.tsx'
import { useHotkeys } from '../components/use-hotkeys.ts'
import { useRunOf } from '../data/use-runs.ts'
import { EMPTY_INPUT, type CallInput } from '../input/call-input.ts'
import { InputEditor } from '../input/input-editor.tsx'
import { links, linkTo } from '../links.ts'
import { RunView } from '../run/run-view.tsx'
import { useRunnerCall } from '../runner/runner-call.ts'
import { issuesIn, toToolInput } from './mcp-message.ts'
import type { ListedTool } from './use-tools.ts'

const HINTS: Readonly<Record<string, readonly [Tone, string]>> = {
  readOnlyHint: ['good', 'read-only'],
  destructiveHint: ['bad', 'destructive'],
  idempotentHint: ['quiet', 'idempotent'],
}

/** Calls a tool through its MCP route, as a client does, and shows the response. */
export function ToolRunner({ tool, kind }: { tool: ListedTool; kind: string }): ReactNode {
  const { server, name, description, inputSchema, outputSchema } = tool
  const call = useRunnerCall(server)
  const run = useRunOf(call.requestId)
  const [input, setInput] = useState<CallInput>(EMPTY_INPUT)
  const message = toToolInput(name, input)
  const send = (): void => call.send(message)
  useHotkeys({ 'mod+Enter': send, Escape: () => call.isRunning && call.cancel() })
  return (
    <div className="route-bench">
      <header>
        <Link className="link small route-back" href={links.tools}>
          All tools
        </Link>
        <div className="route-bar">
          <h1>
            <code>{name}</code>
          </h1>
          <button type="button" className="button primary" onClick={call.isRunning ? call.cancel : send}>
            {call.isRunning ? 'Cancel' : 'Call'} <Keys of={call.isRunning ? 'Escape' : 'mod+Enter'} />
          </button>
        </div>
        {description !== undefined && <p className="quiet">{description}</p>}
        <ToolSummary tool={tool} kind={kind} />
      </header>
      <SplitPane
        name="route"
        label="Input and result"
        first={
          <div className="request-pane">
            <InputEditor
              route={`${server} ${name}`}
              schema={inputSchema}
              value={input}
              onChange={setInput}
              issues={issuesIn(call.output)}
            />
            <Schema title="Input schema" schema={inputSchema} />
            {outputSchema !== undefined && <Schema title="Output schema" schema={outputSchema} />}
          </div>
        }
        second={
          <div className="fill">
            <RunView call={call} run={run} route={server} input={message} />
          </div>
        }
      />
    </div>
  )
}

/** The route that a tool calls, and its hints. Clients may ask the user before a call without a hint. */
function ToolSummary({ tool: { route, annotations }, kind }: { tool: ListedTool; kind: string }): ReactNode {
  const hints = Object.entries(HINTS).flatMap(([name, hint]) => (annotations?.[name] === true ? [hint] : []))
  return (
    <p className="tool-facts small">
      <Link className="link" href={linkTo({ route, kind })}>
        <RouteName route={route} />
      </Link>
      {hints.length === 0 && <span className="quiet">no hints</span>}
      {hints.map(([tone, text]) => (
        <Pill key={text} tone={tone}>
          {text}
        </Pill>
      ))}
    </p>
  )
}

function Schema({ title, schema }: { title: string; schema: object }): ReactNode {
  return (
    <details className="response">
      <summary>{title}</summary>
      <pre tabIndex={0}>{JSON.stringify(schema, null, 2)}</pre>
    </details>
  )
}
