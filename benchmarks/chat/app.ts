/** The functions of an app that has tasks and users, for the chats that do not use our routes. */

export interface User {
  readonly id: string
}

export interface Task {
  readonly id: number
  readonly title: string
  readonly done: boolean
}

type Change = { title?: string | undefined; done?: boolean | undefined }

export declare function getUser(request: Request): Promise<User | null>

export declare function weather(city: string): Promise<{ celsius: number }>

/** Each function checks that the task belongs to the user. */
export declare const tasks: {
  list(user: User, query: { done?: boolean | undefined; limit?: number | undefined }): Promise<Task[]>
  create(user: User, input: { title: string; done?: boolean | undefined }): Promise<Task>
  update(user: User, id: number, change: Change): Promise<Task>
  delete(user: User, id: number): Promise<void>
}
