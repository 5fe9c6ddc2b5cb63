import type { ApiError } from '@sdk/protocol'
import type { ReactNode } from 'react'
import type { CallInput } from '../input/call-input.ts'
import { HeadersEditor } from '../input/headers-editor.tsx'
import { InputEditor } from '../input/input-editor.tsx'
import type { OperationInfo } from './operation-info.ts'
import { ParameterFields, QueryText } from './parameter-fields.tsx'

interface RequestFieldsProps {
  readonly route: string
  readonly info: OperationInfo
  readonly value: CallInput
  readonly onChange: (next: CallInput) => void
  readonly error: ApiError | null
}

/** All inputs for a call: path parameters, query, headers and body. */
export function RequestFields({ route, info, value, onChange, error }: RequestFieldsProps): ReactNode {
  const { params, query } = value
  const details = error?.details ?? []
  const issues = details.flatMap(({ pointer, message }) => (pointer === undefined ? [] : [{ pointer, message }]))
  const named = new Map(details.flatMap(({ name, message }) => (name === undefined ? [] : [[name, message]])))
  // Parameters with an operator, such as `done[ne]`, are numerous and rarely needed, so their fields are collapsed.
  const plain = info.query.filter(({ name }) => !name.includes('['))
  const operators = info.query.filter(({ name }) => name.includes('['))
  const setQuery = (next: Readonly<Record<string, string>>): void => onChange({ ...value, query: next })
  const setHeaders = (next: CallInput['headers']): void => onChange({ ...value, headers: next })
  const texts = Object.fromEntries(Object.entries(query).map(([name, one]) => [name, String(one)]))
  return (
    <div className="request-fields">
      <ParameterFields
        title="Path"
        parameters={info.path}
        values={params}
        onChange={(next) => onChange({ ...value, params: next })}
        issues={named}
      />
      <ParameterFields title="Query" parameters={plain} values={texts} onChange={setQuery} issues={named} />
      <ParameterFields
        title="More filters"
        parameters={operators}
        values={texts}
        onChange={setQuery}
        issues={named}
        isFolded
      />
      {!info.isDocumented && <QueryText values={texts} onChange={setQuery} />}
      {info.hasBody && (
        <InputEditor route={route} schema={info.body} value={value} onChange={onChange} issues={issues} />
      )}
      <ParameterFields
        title="Known headers"
        parameters={info.headers}
        values={Object.fromEntries(value.headers)}
        onChange={(next) => setHeaders(Object.entries(next))}
        issues={named}
        isFolded
      />
      {!info.hasBody && (
        <details className="parameters">
          <summary>
            Headers <span className="count">{value.headers.length}</span>
          </summary>
          <HeadersEditor headers={value.headers} onChange={setHeaders} />
        </details>
      )}
    </div>
  )
}
