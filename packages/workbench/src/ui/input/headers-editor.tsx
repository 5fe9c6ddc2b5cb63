import type { ReactNode } from 'react'
import { RemoveButton } from '../form/field-frame.tsx'
import type { CallInput } from './call-input.ts'

type Headers = CallInput['headers']

type HeadersEditorProps = { headers: Headers; onChange: (next: Headers) => void }

/** Edits the headers that are sent in addition to those set by the browser and the identity. */
export function HeadersEditor({ headers, onChange }: HeadersEditorProps): ReactNode {
  return (
    <div className="input-headers schema-form">
      <datalist id="header-names">
        {SUGGESTED_HEADERS.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {headers.length === 0 && (
        <p className="quiet">No custom headers. Content-Type and the identity are set automatically.</p>
      )}
      {headers.map((row, index) => (
        <HeaderRow
          // Keyed by index, since the name changes while it is typed.
          // oxlint-disable-next-line react/no-array-index-key
          key={index}
          row={row}
          index={index}
          isDouble={headers.some(
            ([name], at) => at < index && name !== '' && name.toLowerCase() === row[0].toLowerCase(),
          )}
          onChange={(next) => onChange(next === null ? headers.toSpliced(index, 1) : headers.with(index, next))}
        />
      ))}
      <div className="form-adds">
        <button type="button" className="form-add" onClick={() => onChange([...headers, ['', '']])}>
          + header
        </button>
      </div>
    </div>
  )
}

interface HeaderRowProps {
  readonly row: Headers[number]
  readonly index: number
  readonly isDouble: boolean
  /** Called with the new header, or with null to remove the row. */
  readonly onChange: (next: Headers[number] | null) => void
}

function HeaderRow({ row: [name, value], index, isDouble, onChange }: HeaderRowProps): ReactNode {
  const id = `header-${index}`
  const issue =
    headerNameIssue(name) ?? headerValueIssue(value) ?? (isDouble ? 'is set twice: the last value is sent' : null)
  const shared = { type: 'text', autoComplete: 'off', spellCheck: false, 'aria-describedby': `${id}-fault` } as const
  return (
    <div className="input-header">
      <input
        {...shared}
        list="header-names"
        aria-label={`Name of header ${index + 1}`}
        aria-invalid={headerNameIssue(name) !== null || isDouble || undefined}
        placeholder="name"
        value={name}
        onChange={(event) => onChange([event.target.value, value])}
      />
      <input
        {...shared}
        aria-label={`Value of header ${index + 1}`}
        aria-invalid={headerValueIssue(value) !== null || undefined}
        placeholder="value"
        value={value}
        onChange={(event) => onChange([name, event.target.value])}
      />
      <RemoveButton label={name === '' ? `header ${index + 1}` : name} onClick={() => onChange(null)} />
      {issue !== null && (
        <p className="form-fault" id={`${id}-fault`}>
          {name === '' ? 'the header' : name} {issue}
        </p>
      )}
    </div>
  )
}

const SUGGESTED_HEADERS: readonly string[] = [
  'accept',
  'accept-language',
  'authorization',
  'cache-control',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'prefer',
  'traceparent',
  'x-request-id',
]

/** Headers that browsers do not let pages set: https://fetch.spec.whatwg.org/#forbidden-request-header */
const FORBIDDEN_HEADERS =
  /^(?:accept-charset|accept-encoding|access-control-request-(?:headers|method|private-network)|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|(?:proxy|sec)-.*)$/i

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/

/** Returns the reason why a header name is invalid, or null if it is valid or empty. */
function headerNameIssue(name: string): string | null {
  if (name === '') return null
  if (!HEADER_NAME.test(name)) return "may only contain letters, digits and !#$%&'*+-.^_`|~"
  return FORBIDDEN_HEADERS.test(name) ? 'is set by the browser and will not be sent' : null
}

function headerValueIssue(value: string): string | null {
  // oxlint-disable-next-line no-control-regex -- matches the characters that are not allowed
  return /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(value)
    ? 'contains a character that is not allowed in headers'
    : null
}
