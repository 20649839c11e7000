// Webhook deliveries already seen, so that a repeated one is counted and not acted on.

export interface Deliveries {
  /** Remembers `id`; answers false when it was known. Old ones are forgotten, the newest some thousands are kept. */
  remember(id: string, at: number): Promise<boolean>;
}
