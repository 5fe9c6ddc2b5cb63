import { createContext, useContext, type ComponentType, type ReactNode, useEffect, useRef } from 'react'
import type { Json } from './json-tree.ts'
import type { Shape } from './shape.ts'

/** Props that all fields share. */
export interface FieldProps<S extends Shape = Shape> {
  readonly shape: S
  /** The value, or undefined if it is absent. */
  readonly value: Json | undefined
  /** Called with the new value, or with undefined to remove it if it may be absent. */
  readonly onChange: (next: Json | undefined) => void
  /** The field's JSON Pointer. */
  readonly pointer: string
  readonly label: string
  readonly isRequired?: boolean
  /** Whether the value may be absent. List items cannot be absent: they are removed from the list instead. */
  readonly canBeAbsent?: boolean
  readonly actions?: ReactNode
  /** The name of a member that is not shown because it is chosen elsewhere. */
  readonly hidden?: string | null
  /** The description to use if the shape has none. */
  readonly note?: string | undefined
  /** Whether the field is inside another field's frame, which already shows the label. */
  readonly isBare?: boolean
}

/** Context shared by all fields in a form. */
export interface FormScope {
  readonly id: string
  readonly issues: ReadonlyMap<string, readonly string[]>
  /**
   * The field component for any shape. It is passed through the context to avoid import cycles between field modules.
   */
  readonly Field: ComponentType<FieldProps>
}

const Scope = createContext<FormScope | null>(null)

/** Provides the shared context to all fields inside it. */
export const FormScopeProvider = Scope.Provider

/** Returns the context of the form that contains the field. */
export function useForm(): FormScope {
  const scope = useContext(Scope)
  if (scope === null) throw new TypeError('form fields must be used within <SchemaForm>')
  return scope
}

type FieldLocation = Pick<FieldProps, 'pointer' | 'shape' | 'label' | 'note' | 'isRequired'>

/** Returns a field's ids and issues, and its description, which may be empty. */
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

/** Returns the description, omitting a title that only repeats the name. */
function noteOf({ shape: { title, description }, label, note = '' }: FieldLocation): string {
  const isNew = title !== undefined && title.toLowerCase() !== label.toLowerCase()
  return [isNew ? title : '', description ?? ''].filter((text) => text !== '').join(': ') || note
}

/** Returns the id of the control at a pointer. It is encoded, since names can contain spaces but ids cannot. */
export function fieldId(formId: string, pointer: string): string {
  return `${formId}${encodeURIComponent(pointer.replaceAll(/\p{Surrogate}/gu, '\uFFFD'))}`
}

/** Returns a function that moves the focus to the element with the given id after the next render. */
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
