import { useMemo, type ReactNode } from 'react'
import type { Manifest } from '../../manifest.ts'
import type { CallInput } from '../input/call-input.ts'
import { InputEditor } from '../input/input-editor.tsx'
import { shortName } from '../components/route-name.tsx'
import { readOperationInfo } from '../routes/operation-info.ts'
import { RequestFields } from '../routes/request-fields.tsx'
import { toRouteGroups } from '../routes/route-groups.ts'
import { useDocuments } from '../routes/use-documents.ts'
import '../routes/routes.css'
import { useAgent } from '../runner/use-agent.ts'

interface MatrixInputProps {
  readonly manifest: Manifest
  readonly route: string
  readonly value: CallInput
  readonly onChange: (next: CallInput) => void
}

/** What every call is made with: as on the bench of the agent or of the route. */
export function MatrixInput(props: MatrixInputProps): ReactNode {
  return props.route.startsWith('POST /agent/') ? <AgentInput {...props} /> : <RouteInput {...props} />
}

function AgentInput({ route, value, onChange }: MatrixInputProps): ReactNode {
  const { schema } = useAgent(shortName(route))
  return <InputEditor route={route} schema={schema} value={value} onChange={onChange} issues={[]} />
}

function RouteInput({ manifest, route, value, onChange }: MatrixInputProps): ReactNode {
  const documents = useDocuments(manifest)
  const entry = useMemo(
    () =>
      toRouteGroups(manifest.routes, documents ?? [])
        .flatMap(({ entries }) => entries)
        .find((one) => one.route === route),
    [manifest, documents, route],
  )
  if (entry === undefined) return null
  return <RequestFields route={route} info={readOperationInfo(entry)} value={value} onChange={onChange} error={null} />
}
