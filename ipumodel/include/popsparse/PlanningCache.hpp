#error                                                                         \
    "ipumodel has no sparse operators: <popsparse/PlanningCache.hpp> is not implemented"
