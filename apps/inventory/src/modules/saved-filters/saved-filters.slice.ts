import { defineFeatureModule } from '../../http/define-slice.js';
import { SavedFilterApplier } from './apply-saved-filters.js';

export const savedFiltersFeatureModule = defineFeatureModule('saved-filters', {
  lists: (parts) => {
    const savedFilters = new SavedFilterApplier(parts);
    return {
      prepare: async (call) =>
        call.query.has('filter') || call.query.has('filter_id')
          ? { ...call, filterQuery: await savedFilters.applySavedFilters(call.query, call.actor) }
          : call,
    };
  },
});
