import { createContext, useContext, type ComponentType, type ReactNode, useEffect, useRef } from 'react'
import type { Json } from './json-tree.ts'
import type { Shape } from './shape.ts'

/** Props of every field. */
export interface FieldProps<S extends Shape = Shape> {
  readonly shape: S
  /** The value, or undefined if absent. */
  readonly value: Json | undefined
  /** Called with the new value; undefined removes it if it may be absent. */
  readonly onChange: (next: Json | undefined) => void
  /** The JSON Pointer of the field. */
  readonly pointer: string
  readonly label: string
  readonly isRequired?: boolean
  /** Whether the value may be absent. List items may not: they are removed from their list instead. */
  readonly canBeAbsent?: boolean
  readonly actions?: ReactNode
  /** A member that is not shown, since it is chosen elsewhere. */
  readonly hidden?: string | null
  /** The description if its shape has none. */
  readonly note?: string | undefined
  /** Whether the field is inside the frame of another field, which shows the label. */
  readonly isBare?: boolean
}

/** Context that all fields of a form share. */
export interface FormScope {
  readonly id: string
  readonly issues: ReadonlyMap<string, readonly string[]>
  /** The field for any shape. It is in the context to avoid import cycles between the modules of fields. */
  readonly Field: ComponentType<FieldProps>
}

const Scope = createContext<FormScope | null>(null)

/** Provides the shared context to all fields below. */
export const FormScopeProvider = Scope.Provider

/** Returns the context of the form around a field. */
export function useForm(): FormScope {
  const scope = useContext(Scope)
  if (scope === null) throw new TypeError('form fields must be used within <SchemaForm>')
  return scope
}

type FieldLocation = Pick<FieldProps, 'pointer' | 'shape' | 'label' | 'note' | 'isRequired'>

/** Returns the ids and the issues of a field, and its description, which may be empty. */
export function useFieldIds(props: FieldLocation) {
  const { id: formId, issues: all } = useForm()
  const id = fieldId(formId, props.pointer)
  const issues = all.get(props.pointer) ?? []
  const note = noteOf(props)
  const described = [note === '' ? '' : `${id}-note`, issues.length === 0 ? '' : `${id}-fault`].join(' ').trim()
  const control = {
    id,
    'aria-invalid': issues.length > 0 ? true : undefined,
    'aria-required': props.isRequired === true ? true : undefined,
    'aria-describedby': described === '' ? undefined : described,
  }
  return { id, issues, note, control }
}

/** Returns the description, without a title that only repeats the name. */
function noteOf({ shape: { title, description }, label, note = '' }: FieldLocation): string {
  const isNew = title !== undefined && title.toLowerCase() !== label.toLowerCase()
  return [isNew ? title : '', description ?? ''].filter((text) => text !== '').join(': ') || note
}

/** Returns the id of the control at a pointer. Names may contain spaces, ids may not. */
export function fieldId(formId: string, pointer: string): string {
  return `${formId}${encodeURIComponent(pointer.replaceAll(/\p{Surrogate}/gu, '\uFFFD'))}`
}

/** Returns a function that moves the focus to an element by its id after the next render. */
export function useFocusNext(): (id: string) => void {
  const wanted = useRef<string | null>(null)
  useEffect(() => {
    if (wanted.current === null) return
    document.getElementById(wanted.current)?.focus()
    wanted.current = null
  })
  return (id) => {
    wanted.current = id
  }
}
